from .pictures import (FORMATS as FORMATS, MAX_PIXELS as MAX_PIXELS, DataSet as DataSet, header as header, line_of as line_of,
                       load_image as load_image, safe as safe)
from .manifest import (LABELS as LABELS, NUMBERS as NUMBERS, ROLES as ROLES, TEXTS as TEXTS, Check as Check, Finding as Finding,
                       check as check, data_set as data_set, read_manifest as read_manifest, uses as uses)
from .wells import LOOK as LOOK, WIDE as WIDE, UKMYC6 as UKMYC6
from .wells import LOWEST_STEP as LOWEST_STEP, SITES as SITES, Look as Look
from .wells import draw_settings as draw_settings, illumination as illumination, vessel as vessel
from .wells import growth_field as growth_field, bubble_optics as bubble_optics, glints as glints
from .wells import lens_blur as lens_blur, sensor as sensor, Wells as Wells
from .wells import render_wells as render_wells, concentration as concentration, response as response
from .wells import mic_text as mic_text, isolate_mics as isolate_mics, render_plate as render_plate
from .wells import training_wells as training_wells, write_wells as write_wells, render_plates as render_plates
from .wells import demo_wells as demo_wells
