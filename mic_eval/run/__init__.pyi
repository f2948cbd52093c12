from .store import (Run as Run, code_hash as code_hash, environment as environment, file_hash as file_hash, folder_name as folder_name,
                    identity as identity, open_run as open_run, run_folder as run_folder, save_run as save_run, set_latest as set_latest,
                    write_whole as write_whole)
