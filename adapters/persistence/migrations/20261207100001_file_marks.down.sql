DROP TABLE file_marks;
