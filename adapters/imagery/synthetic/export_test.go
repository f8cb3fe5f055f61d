package synthetic

// Every returns options for an archive of only every n-th pass of the season, n being passes.
func Every(passes int, o Options) Options {
	o.every = passes
	return o
}
