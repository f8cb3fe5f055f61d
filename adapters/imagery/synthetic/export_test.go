package synthetic

// Every returns options for an archive of each so many-th pass of the season alone.
func Every(passes int, o Options) Options {
	o.every = passes
	return o
}
