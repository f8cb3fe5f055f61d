DELETE FROM jobs WHERE kind = 'field_overlaps';
DROP TABLE field_overlap_checks;
DROP TABLE field_overlaps;
