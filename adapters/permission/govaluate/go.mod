module github.com/casbin/govaluate

go 1.26.0
