from elseif.files.atomic import (
    new_file as new_file,
    write_atomically as write_atomically,
)
from elseif.files.folders import (
    make_folder as make_folder,
    make_private_folder as make_private_folder,
)
from elseif.files.locks import only_run_in as only_run_in
from elseif.files.names import file_name as file_name
from elseif.files.sealed import (
    is_sealed as is_sealed,
    sealed_text as sealed_text,
)
