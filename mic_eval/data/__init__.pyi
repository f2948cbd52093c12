from .pictures import (FORMATS as FORMATS, MAX_PIXELS as MAX_PIXELS, DataSet as DataSet, header as header, line_of as line_of,
                       load_image as load_image, safe as safe)
from .manifest import (LABELS as LABELS, NUMBERS as NUMBERS, ROLES as ROLES, TEXTS as TEXTS, Check as Check, Finding as Finding,
                       check as check, data_set as data_set, read_manifest as read_manifest, uses as uses)
from .wells import LOOK as LOOK, WIDE as WIDE, Look as Look, Wells as Wells
from .wells import demo_wells as demo_wells, render_plate as render_plate, render_plates as render_plates
from .wells import render_wells as render_wells, training_wells as training_wells, write_wells as write_wells
