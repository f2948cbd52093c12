from .wells import LOOK as LOOK, WIDE as WIDE, Look as Look, Wells as Wells
from .wells import demo_wells as demo_wells, render_plate as render_plate, render_plates as render_plates
from .wells import render_wells as render_wells, write_wells as write_wells
