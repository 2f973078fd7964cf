"""From the five dumps into the archive: reading a file, parsing its records, writing them."""
