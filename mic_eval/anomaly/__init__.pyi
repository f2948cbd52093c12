from .map_files import (SUFFIXES as SUFFIXES, MaskPixels as MaskPixels, as_mask as as_mask, nearest_pixels as nearest_pixels, one_map as one_map,
                        read_map as read_map, read_mask as read_mask, resized as resized, stack_of as stack_of)
from .maps import Maps as Maps, OpenImage as OpenImage, StoredMap as StoredMap, read_images as read_images
from .layouts import (IMAGES as IMAGES, LAYOUTS as LAYOUTS, TREES as TREES, Layout as Layout, data_images as data_images, found_maps as found_maps,
                      inside as inside, layout_of as layout_of, read_maps as read_maps)
from .scoring import HOW as HOW, image_scores as image_scores, reconstruction_map as reconstruction_map
from .pixels import (BINS as BINS, FINE as FINE, TAIL as TAIL, PixelBins as PixelBins, PixelCounts as PixelCounts, distinct as distinct, images_of as images_of,
                     read_counts as read_counts, regions as regions, stacked_bins as stacked_bins)
from .pixel_metrics import (FEW as FEW, Placed as Placed, aupro as aupro, aupro_name as aupro_name, binned as binned, iou_of_f1 as iou_of_f1,
                            jackknife_variance as jackknife_variance, left_out_values as left_out_values, logit_limits as logit_limits,
                            pixel_average_precision as pixel_average_precision, pixel_f1_max as pixel_f1_max, pixel_iou_max as pixel_iou_max,
                            pixel_numbers as pixel_numbers, pixel_roc_auc as pixel_roc_auc, placed as placed, pro_area as pro_area, pro_at as pro_at,
                            pro_curve as pro_curve, pro_on as pro_on, region_shares as region_shares, stream_bounds as stream_bounds,
                            units_of as units_of, with_interval as with_interval)
from .evaluation import (PIXEL as PIXEL, evaluate_anomaly as evaluate_anomaly, image_numbers as image_numbers, implied_variance as implied_variance,
                               macro_mean as macro_mean, next_object as next_object, object_numbers as object_numbers)
from .pimo import Aupimo as Aupimo, Levels as Levels, aupimo as aupimo, found_share as found_share, levels_of as levels_of
from .operating import (RULES as RULES, PixelCalls as PixelCalls, cross_fitted as cross_fitted, decisions as decisions, escapes as escapes,
                        image_threshold as image_threshold, pixel_calls as pixel_calls, pixel_threshold as pixel_threshold, segmentation as segmentation)
from .writer import (MAPS as MAPS, PATHS as PATHS, SCORES as SCORES, MapWriter as MapWriter, others_table as others_table, plain_array as plain_array,
                     written_maps as written_maps)
