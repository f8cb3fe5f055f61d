module tilth/tests/casbin

go 1.26.0

require (
	github.com/casbin/casbin/v2 v2.135.0
	github.com/stretchr/testify v1.12.1
	pgregory.net/rapid v1.3.0
	tilth v0.0.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.6.1 // indirect
	github.com/casbin/govaluate v1.3.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/hashicorp/golang-lru/v2 v2.0.7 // indirect
	github.com/peterstace/simplefeatures v0.50.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.24.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace tilth => ../..
