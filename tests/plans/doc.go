// Package plans asserts how the databases plan the queries of repositories, which it reaches by exported methods of
// their types. The tests stand in this one package: beside the repositories, they had each of six packages compiled
// twice and a test program linked for it. The package has only tests.
package plans
