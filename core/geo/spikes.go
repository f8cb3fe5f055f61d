package geo

// withoutSpikes drops, in place, the vertices of an open ring at which it turns straight back:
// digitising slips that enclose nothing. Dropping one spike may leave another, hence the steps
// back. The ring must hold no position twice in a row.
func withoutSpikes(ring Ring) Ring {
	out := ring[:0]
	for _, p := range ring {
		out = append(out, p)
		for n := len(out); n >= 3 && turnsBack(out[n-3], out[n-2], out[n-1]); n = len(out) {
			last := out[n-1]
			if out = out[:n-2]; out[n-3] != last {
				out = append(out, last)
			}
		}
	}
	for len(out) >= 3 { // across the seam of the ring
		n := len(out)
		switch {
		case out[n-1] == out[0] || turnsBack(out[n-2], out[n-1], out[0]):
			out = out[:n-1]
		case turnsBack(out[n-1], out[0], out[1]):
			out = out[1:]
		default:
			return out
		}
	}
	return out
}

// turnsBack reports whether the way from a over b to c turns straight back at b.
func turnsBack(a, b, c Position) bool {
	onward := (b.X-a.X)*(c.X-b.X) + (b.Y-a.Y)*(c.Y-b.Y)
	return onward < 0 && orientation(a, b, c) == 0
}
