from .pictures import batch_slices as batch_slices
from .pictures import (FORMATS as FORMATS, MAX_PIXELS as MAX_PIXELS, DataSet as DataSet, header as header, line_of as line_of,
                       load_image as load_image, picture_size as picture_size, safe as safe, seen_as as seen_as)
from .inputs import (Items as Items, facts_of as facts_of, first_batch as first_batch, inputs_of as inputs_of, is_inputs as is_inputs,
                     items as items, truth_of as truth_of)
from .manifest_rules import LABELS as LABELS, NUMBERS as NUMBERS, ROLES as ROLES, TEXTS as TEXTS, Finding as Finding
from .manifest import (FolderCheck as FolderCheck, check as check, data_set as data_set, read_manifest as read_manifest, uses as uses)
from .optics import per_well as per_well, picture_grid as picture_grid, smooth_cloud as smooth_cloud, soft_step as soft_step
from .optics import LOOK as LOOK, WIDE as WIDE, Look as Look
from .optics import draw_settings as draw_settings, illumination as illumination, vessel as vessel
from .optics import growth_field as growth_field, bubble_optics as bubble_optics, glints as glints
from .optics import lens_blur as lens_blur, sensor as sensor, sharpen as sharpen
from .wells import UKMYC6 as UKMYC6, LOWEST_STEP as LOWEST_STEP, SITES as SITES
from .wells import joined_wells as joined_wells
from .wells import Wells as Wells, Scene as Scene, draw_scene as draw_scene, photograph as photograph, render_wells as render_wells, concentration as concentration
from .wells import response as response, rendered_mic as rendered_mic, isolate_mics as isolate_mics
from .wells import render_plate as render_plate, write_wells as write_wells
from .wells import render_plates as render_plates, demo_wells as demo_wells
from .circles import (circle_middles as circle_middles, circles_near as circles_near, edge_pixels as edge_pixels,
                      ring_support as ring_support)
from .plates import (Plate as Plate, crop as crop, crop_side as crop_side, find_wells as find_wells, plot_plate as plot_plate)
from .layouts import read_layout as read_layout, well_names as well_names
from .conditions import (CONDITIONS as CONDITIONS, REFERENCE as REFERENCE, SEVERITIES as SEVERITIES, bubble_field as bubble_field,
                         ring_light as ring_light, under_condition as under_condition, condition_wells as condition_wells)
from .scenes import (BUBBLE_TYPES as BUBBLE_TYPES, DENSEST as DENSEST, TURBIDITY as TURBIDITY, add_bubbles as add_bubbles, lens_view as lens_view,
                     bubble_wells as bubble_wells, turbidity_level as turbidity_level, cloud_scene as cloud_scene, turbidity_wells as turbidity_wells)
from .bubble_shapes import bubble_features as bubble_features, bubble_types as bubble_types, circularity as circularity
from .design import Layer as Layer, edge_cases as edge_cases, group_split as group_split, layers as layers
from .hashes import hash_changes as hash_changes, hash_manifest as hash_manifest
from .design import linked_groups as linked_groups, log2_distance as log2_distance, power_notes as power_notes, split_table as split_table
from .duplicates import find_duplicates as find_duplicates, leaks as leaks, near_hashes as near_hashes
from .duplicates import perceptual_hash as perceptual_hash, thumbnails as thumbnails
from .benchmark import REQUIREMENTS as REQUIREMENTS, Sample as Sample, balance_weights as balance_weights, balanced_sample as balanced_sample
from .benchmark import class_imbalance as class_imbalance, combine as combine, distinct_rows as distinct_rows
from .benchmark import quality_flags as quality_flags, sharpness as sharpness
from .benchmark import validate_benchmark as validate_benchmark
from .diversity import k_centre as k_centre, stratum_coverage as stratum_coverage, vendi_score as vendi_score
from .datasheets import DATASHEET_QUESTIONS as DATASHEET_QUESTIONS, Datasheet as Datasheet, datasheet as datasheet
from .corruptions import (BASELINES as BASELINES, PLATE_CONDITIONS as PLATE_CONDITIONS, CORRUPTIONS as CORRUPTIONS, Corruption as Corruption, CorruptionDraws as CorruptionDraws,
                          corrupt as corrupt, corruption_gallery as corruption_gallery, corruptions as corruptions)
from .realism import (BANDS as BANDS, FEATURES as FEATURES, TUNED as TUNED, compare_pictures as compare_pictures, picture_features as picture_features,
                      twin_plates as twin_plates)
from .lessons import LOOKS as LOOKS, NEAR as NEAR, between as between, training_wells as training_wells
from .upright import Upright as Upright, homography as homography, scatter as scatter, seen_from as seen_from, upright as upright
from .misread import (Misread as Misread, mic_misread as mic_misread)
from .folders import folder_pictures as folder_pictures, write_manifest as write_manifest
