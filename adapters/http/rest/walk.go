package rest

// The functions below go through a JSON text that checkJSON has accepted, one level at
// a time and without building a tree.

// trimJSON cuts the white space around a value.
func trimJSON(text []byte) []byte {
	s := scanner{text: text}
	s.space()
	end := len(text)
	for end > s.pos && isSpace(text[end-1]) {
		end--
	}
	return text[s.pos:end]
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// eachMember calls visit with the members of an object, in order.
func eachMember(object []byte, visit func(name string, value []byte)) {
	s := scanner{text: object, pos: 1}
	for {
		s.space()
		if s.peek() != '"' {
			return
		}
		name, _ := s.str()
		s.space()
		s.pos++ // the colon
		s.space()
		visit(name, s.take())
		s.space()
		if s.peek() != ',' {
			return
		}
		s.pos++
	}
}

// eachItem calls visit with the items of an array, in order, until it returns false.
func eachItem(array []byte, visit func(i int, value []byte) bool) {
	s := scanner{text: array, pos: 1}
	for i := 0; ; i++ {
		if s.space(); s.peek() == ']' {
			return
		}
		if !visit(i, s.take()) {
			return
		}
		if s.space(); s.peek() != ',' {
			return
		}
		s.pos++
	}
}

// take skips a value and returns its text.
func (s *scanner) take() []byte {
	start, depth := s.pos, 0
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '"':
			s.passString()
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			if depth == 0 {
				return s.text[start:s.pos]
			}
			depth--
			s.pos++
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return s.text[start:s.pos]
			}
			s.pos++
			continue
		default:
			s.pos++
			continue
		}
		if depth == 0 {
			break
		}
	}
	return s.text[start:s.pos]
}

func (s *scanner) passString() {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case '"':
			s.pos++
			return
		}
	}
}

// stringOf returns what a JSON string says.
func stringOf(text []byte) string {
	s := scanner{text: text}
	out, _ := s.str()
	return out
}
