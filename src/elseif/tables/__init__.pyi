from elseif.tables.parquet import ParquetTable as ParquetTable
from elseif.tables.sparse_table import SparseTable as SparseTable
from elseif.tables.text_files import TextFormat as TextFormat, read_file as read_file
