package rest

import "io"

// pieceBytes is how much of a list is made in one piece of work.
const pieceBytes = 64 << 10

// inPieces writes a list piece by piece: making one is work, which takes turns where the company works more than
// its share, and sending it takes its reader's time.
type inPieces struct {
	call *Call
	to   io.Writer
	made []byte
}

// Write implements io.Writer.
func (p *inPieces) Write(b []byte) (int, error) {
	p.made = append(p.made, b...)
	if len(p.made) < pieceBytes {
		return len(b), nil
	}
	if err := p.send(); err != nil {
		return 0, err
	}
	leave, err := p.call.api.turns.again(p.call.request.Context(), p.call.principal.CompanyID)
	if err != nil {
		return 0, err
	}
	p.call.leave = leave
	return len(b), nil
}

// send sends what was made.
func (p *inPieces) send() error {
	p.call.leave()
	_, err := p.to.Write(p.made)
	p.made = p.made[:0]
	return err
}
