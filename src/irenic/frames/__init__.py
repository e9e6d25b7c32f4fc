"""Tables of instances: CSV, XLSX and Parquet files as columns."""
