"""Tables of instances: reading and writing CSV, XLSX and Parquet files."""
