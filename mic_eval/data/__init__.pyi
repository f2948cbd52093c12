from .pictures import FORMATS as FORMATS, DataSet as DataSet, load_image as load_image
from .inputs import (Items as Items, inputs_of as inputs_of, items as items, hash_manifest as hash_manifest,
                     write_manifest as write_manifest)
from .manifest import (Finding as Finding, FolderCheck as FolderCheck, check as check, data_set as data_set,
                       read_manifest as read_manifest)
from .optics import LOOK as LOOK, Look as Look, draw_settings as draw_settings
from .wells import (UKMYC6 as UKMYC6, Wells as Wells, Scene as Scene, draw_scene as draw_scene,
                    photograph as photograph, render_wells as render_wells, rendered_mic as rendered_mic,
                    isolate_mics as isolate_mics, render_plate as render_plate, write_wells as write_wells,
                    render_plates as render_plates, demo_wells as demo_wells)
from .plates import Plate as Plate, crop as crop, find_wells as find_wells, plot_plate as plot_plate
from .plate_layouts import read_layout as read_layout, well_names as well_names
from .imaging import (CONDITIONS as CONDITIONS, under_condition as under_condition,
                      condition_wells as condition_wells)
from .scenes import (BUBBLE_TYPES as BUBBLE_TYPES, TURBIDITY as TURBIDITY, bubble_wells as bubble_wells,
                     turbidity_level as turbidity_level, turbidity_wells as turbidity_wells,
                     bubble_features as bubble_features, bubble_types as bubble_types, training_wells as training_wells)
from .design import (Layer as Layer, edge_cases as edge_cases, group_split as group_split, layers as layers,
                     log2_distance as log2_distance, power_notes as power_notes, split_table as split_table)
from .set_quality import (find_duplicates as find_duplicates, leaks as leaks, perceptual_hash as perceptual_hash,
                          compare_pictures as compare_pictures)
from .benchmark import (balance_weights as balance_weights, balanced_sample as balanced_sample,
                        class_imbalance as class_imbalance, combine as combine, quality_flags as quality_flags,
                        validate_benchmark as validate_benchmark)
from .test_sets import Datasheet as Datasheet, datasheet as datasheet
from .corruptions import corrupt as corrupt, corruption_gallery as corruption_gallery, corruptions as corruptions
from .upright import Upright as Upright, upright as upright
from .real import shipped as shipped
