from .map_files import (SUFFIXES as SUFFIXES, one_map as one_map, stack_of as stack_of, read_map as read_map, MaskPixels as MaskPixels,
        read_mask as read_mask, as_mask as as_mask, resized as resized, nearest_pixels as nearest_pixels)
from .maps import (StoredMap as StoredMap, OpenImage as OpenImage, OpenPixels as OpenPixels, AnomalyMaps as AnomalyMaps, ImageRows as ImageRows, from_plain as from_plain, read_images as read_images)
from .writer import (PATHS as PATHS, MAPS as MAPS, SCORES as SCORES, plain_array as plain_array, MapWriter as MapWriter, written_maps as
        written_maps, others_table as others_table)
from .layouts import (IMAGES as IMAGES, TREES as TREES, LAYOUTS as LAYOUTS, Layout as Layout, inside as inside, layout_of as layout_of,
        data_images as data_images, found_maps as found_maps, read_maps as read_maps)
from .scoring import (HOW as HOW, image_scores as image_scores, reconstruction_map as reconstruction_map)
from .pixel_bins import (BINS as BINS, FINE as FINE, PixelBins as PixelBins, BinRows as BinRows, exact_shares as exact_shares, image_bins as image_bins, stacked_bins as stacked_bins)
from .touching import regions as regions
from .sorted_scores import (TAIL as TAIL, HighestScores as HighestScores, collapsed as collapsed, count_kind as count_kind, distinct as
        distinct, passed_counts as passed_counts, sorted_pairs as sorted_pairs)
from .pixels import (CountedImages as CountedImages, PixelCounts as PixelCounts, images_of as images_of, low_rate_counts as low_rate_counts, upper_counts as upper_counts)
from .count_files import (PARTS as PARTS, counts_as_arrays as counts_as_arrays, counts_from_arrays as counts_from_arrays, save_counts as
        save_counts, read_object_counts as read_object_counts, read_counts as read_counts)
from .over_images import (FEW as FEW, units_of as units_of, jackknife_variance as jackknife_variance, logit_limits as logit_limits,
        with_interval as with_interval)
from .places import (JOINED as JOINED, Placed as Placed, PlacedPart as PlacedPart, binned as binned, placed as placed, placed_parts as
        placed_parts, placed_values as placed_values)
from .pixel_metrics import (binned_values as binned_values, pro_area as pro_area, iou_of_f1 as iou_of_f1, pixel_kernels as
        pixel_kernels, aupro_name as aupro_name, left_out_values as left_out_values, pixel_numbers as pixel_numbers, PixelNumber as PixelNumber,
        pixel_roc_auc as pixel_roc_auc, pixel_average_precision as pixel_average_precision, pixel_f1_max as pixel_f1_max, pixel_iou_max as
        pixel_iou_max, aupro as aupro, region_shares as region_shares, pro_at as pro_at, pro_curve as pro_curve, pro_on as pro_on,
        stream_bounds as stream_bounds)
from .pimo import (found_share as found_share, Levels as Levels, levels_of as levels_of, Aupimo as Aupimo, left_out_aupimo as left_out_aupimo, aupimo as aupimo)
from .operating import (RULES as RULES, image_threshold as image_threshold, cross_fitted as cross_fitted, pixel_threshold as
        pixel_threshold, PixelCalls as PixelCalls, pixel_calls as pixel_calls, segmentation as segmentation, escapes as escapes, decisions
        as decisions)
from .evaluation import (WAYS as WAYS, PIXEL as PIXEL, BESIDE as BESIDE, image_numbers as image_numbers, object_numbers as object_numbers, implied_variance as
        implied_variance, macro_mean as macro_mean, next_object as next_object, evaluate_anomaly as evaluate_anomaly)
from .questions import (as_maps as as_maps, anomaly_metrics as anomaly_metrics, referral as referral, referral_threshold as referral_threshold, referred as referred, referral_metrics as referral_metrics)
from .field import (TITLES as TITLES, UNITS as UNITS, WORDS as WORDS, FIELD as FIELD)
from .defects import (DEFECTS as DEFECTS, condensation as condensation, light_of as light_of, changed_wells as changed_wells, DefectWells as
        DefectWells, anomaly_wells as anomaly_wells, write_defects as write_defects, corrupted_wells as corrupted_wells)
from .gaussian import (grey_images as grey_images, PixelGaussian as PixelGaussian, patch_features as patch_features, PatchGaussian as
        PatchGaussian, load_detector as load_detector)
from .pictures import (ORDERS as ORDERS, scale_of as scale_of, heat_map as heat_map, worst_images as worst_images, map_gallery as
        map_gallery, save_heat_maps as save_heat_maps, called_squares as called_squares, anomaly_histogram as anomaly_histogram, image_curves as image_curves, object_forest as object_forest, feature_channels
        as feature_channels, reconstruction_row as reconstruction_row, embedding_colours as embedding_colours, embedding_map as embedding_map)
from .literature import (published_facts as published_facts, public_test_sets as public_test_sets, published as published, beside_published
        as beside_published, published_ranks as published_ranks)
from .answers import (NAMES as NAMES, read_answer as read_answer, score_images as score_images, asked_for_maps as asked_for_maps)
from .half_maps import half_cost as half_cost
from .paired_maps import (JudgedMaps as JudgedMaps, judged_maps as judged_maps, same_images as same_images, paired_result as paired_result,
        paired_pixels as paired_pixels, one_object as one_object, macro_difference as macro_difference, compare_maps as compare_maps, VERDICT_WORDS as VERDICT_WORDS,
        comparison_rows as comparison_rows)
from .contest import (judged_once as judged_once, MAP_MEASURES as MAP_MEASURES, maps_score as maps_score, maps_test as maps_test, CONTEST as CONTEST)
from .advice import (APART as APART, anomaly_advice as anomaly_advice)
from .demo import (DETECTORS as DETECTORS, demo_maps as demo_maps)
from .uniad import (MapProtocol as MapProtocol, read_protocol as read_protocol, protocol_scores as protocol_scores, as_uniad_prints as
        as_uniad_prints, unified_against as unified_against, common_threshold as common_threshold, CIFAR10 as CIFAR10, CIFAR_SETTINGS as
        CIFAR_SETTINGS, cifar_setting as cifar_setting, cifar_protocol as cifar_protocol)
from .dialects import (ader_aupro as ader_aupro, ader_best as ader_best, guessed_auroc as guessed_auroc, dialect_table as dialect_table)
from .shards import (parts_of_table as parts_of_table, with_jobs as with_jobs, anomalous_scores as anomalous_scores, count_parts as count_parts)
