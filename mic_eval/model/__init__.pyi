from .wellnet import WellNet as WellNet, load_wellnet as load_wellnet, save_wellnet as save_wellnet
from .wellnet import train_wellnet as train_wellnet, wellnet as wellnet
