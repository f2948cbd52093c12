from .map_files import read_map as read_map, read_mask as read_mask
from .maps import StoredMap as StoredMap, AnomalyMaps as AnomalyMaps
from .writer import MapWriter as MapWriter
from .datasets import data_images as data_images, read_maps as read_maps
from .image_scores import image_scores as image_scores, score_images as score_images
from .sorted_scores import PixelBins as PixelBins
from .counting import regions as regions
from .counting import PixelCounts as PixelCounts
from .pixel_metrics import (pixel_roc_auc as pixel_roc_auc, pixel_average_precision as pixel_average_precision,
                            pixel_f1_max as pixel_f1_max, pixel_iou_max as pixel_iou_max, aupro as aupro,
                            pro_curve as pro_curve)
from .pimo import Aupimo as Aupimo, aupimo as aupimo
from .operating import (image_threshold as image_threshold, pixel_threshold as pixel_threshold,
                        pixel_calls as pixel_calls, segmentation as segmentation, escapes as escapes,
                        decisions as decisions)
from .evaluate_maps import evaluate_anomaly as evaluate_anomaly
from .questions import anomaly_metrics as anomaly_metrics, referral as referral
from .field import FIELD as FIELD
from .defects import (DefectWells as DefectWells, anomaly_wells as anomaly_wells, write_defects as write_defects,
                      demo_maps as demo_maps)
from .gaussian import PixelGaussian as PixelGaussian, PatchGaussian as PatchGaussian, load_detector as load_detector
from .plots import (heat_map as heat_map, worst_images as worst_images, map_gallery as map_gallery,
                    save_heat_maps as save_heat_maps, anomaly_histogram as anomaly_histogram,
                    object_forest as object_forest, feature_channels as feature_channels,
                    reconstruction_row as reconstruction_row, embedding_map as embedding_map)
from .dialects import published as published, beside_published as beside_published
from .paired_maps import compare_maps as compare_maps
from .uniad import (read_protocol as read_protocol, protocol_scores as protocol_scores,
                    as_uniad_prints as as_uniad_prints, common_threshold as common_threshold,
                    cifar_protocol as cifar_protocol)
