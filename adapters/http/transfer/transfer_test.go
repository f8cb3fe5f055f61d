package transfer_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/fairness"
	"tilth/adapters/http/transfer"
	"tilth/core/fault"
)

// share returns what a request of a company holds, with the given memory.
func share(memory *fairness.Memory) *fairness.Request {
	out := fairness.NewRequest(fairness.NewTurns(2, 0.5, 0.5), memory)
	out.Of(1)
	return out
}

func arriving(body io.Reader, maxBytes int64) *transfer.Body {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", body)
	return &transfer.Body{Request: r, Connection: http.NewResponseController(w), MaxBytes: maxBytes}
}

func TestBodyIsReadWholeOrRefused(t *testing.T) {
	whole := strings.Repeat("x", 3*fairness.Large)
	for name, tt := range map[string]struct {
		body     io.Reader
		maxBytes int64
		code     string
	}{
		"announced":             {strings.NewReader(whole), 1 << 20, ""},
		"in pieces":             {iotest.OneByteReader(strings.NewReader(whole)), 1 << 20, ""},
		"of the largest size":   {strings.NewReader(whole), int64(len(whole)), ""},
		"announced too large":   {strings.NewReader(whole), int64(len(whole)) - 1, "body_too_large"},
		"too large in pieces":   {iotest.HalfReader(strings.NewReader(whole)), int64(len(whole)) - 1, "body_too_large"},
		"cut short":             {io.MultiReader(strings.NewReader("x"), iotest.ErrReader(io.ErrUnexpectedEOF)), 1 << 20, "malformed_body"},
		"more than memory has":  {strings.NewReader(whole + whole + whole), 1 << 20, "too_many_bodies"},
		"more, but in no hurry": {iotest.HalfReader(strings.NewReader(whole + whole + whole)), 1 << 20, "too_many_bodies"},
	} {
		t.Run(name, func(t *testing.T) {
			memory := fairness.NewMemory(8 * fairness.Large)
			held := share(memory)
			text, err := arriving(tt.body, tt.maxBytes).All(held)
			if tt.code == "" {
				require.NoError(t, err)
				require.Equal(t, whole, string(text))
			} else {
				f, ok := fault.As(err)
				require.True(t, ok, "%v", err)
				require.Equal(t, tt.code, f.Code)
			}
			held.End()
			require.NoError(t, memory.Take(1, 4*fairness.Large), "all memory is returned")
		})
	}
	text, err := arriving(io.MultiReader(), 10).All(share(fairness.NewMemory(0)))
	require.NoError(t, err)
	require.Empty(t, text)
}

func TestAnswerOfOnePieceHasItsLength(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
	s := transfer.NewSink(w, r, http.StatusAccepted, nil, share(fairness.NewMemory(0)))
	require.NoError(t, transfer.Text([]byte("all"))(s))
	require.False(t, s.Started(), "an error could still be answered")
	s.Finish()
	require.Equal(t, http.StatusAccepted, w.Code)
	require.Equal(t, "3", w.Header().Get("Content-Length"))
	require.Equal(t, "all", w.Body.String())

	w = httptest.NewRecorder()
	s = transfer.NewSink(w, httptest.NewRequest(http.MethodHead, "/", nil), http.StatusOK, nil, share(fairness.NewMemory(0)))
	require.NoError(t, transfer.Text([]byte("all"))(s))
	s.Finish()
	require.Equal(t, "3", w.Header().Get("Content-Length"))
	require.Empty(t, w.Body.String())
}

func TestLongAnswerIsSentPieceByPiece(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
	s := transfer.NewSink(w, r, http.StatusOK, nil, share(fairness.NewMemory(0)))
	for range 100 {
		_, err := io.WriteString(s, strings.Repeat("x", 1000))
		require.NoError(t, err)
	}
	require.True(t, s.Started())
	require.Positive(t, w.Body.Len())
	require.Less(t, w.Body.Len(), 100_000, "the last piece is being made")
	s.Finish()
	require.Equal(t, 100_000, w.Body.Len())
	require.Empty(t, w.Header().Get("Content-Length"))
}

// gone is a connection whose reader has left.
type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestReaderWhoLeftEndsTheAnswer(t *testing.T) {
	s := transfer.NewSink(gone{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusOK, nil, share(fairness.NewMemory(0)))
	out := &transfer.Events{To: s}
	require.NoError(t, out.Comment("one"))
	require.True(t, s.Broken())
	require.ErrorContains(t, out.Comment("two"), "broken pipe")
}

func TestEventsAreWrittenAsReadersExpect(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
	out := &transfer.Events{To: transfer.NewSink(w, r, http.StatusOK, nil, share(fairness.NewMemory(0)))}
	require.NoError(t, out.Retry(2*time.Second))
	require.NoError(t, out.Send(transfer.Event{ID: "7", Type: "t", Data: []byte(`{}`)}))
	require.NoError(t, out.Send(transfer.Event{ID: "8"}))
	require.NoError(t, out.Comment("nothing new"))
	require.Equal(t, "retry: 2000\n\nid: 7\nevent: t\ndata: {}\n\nid: 8\n\n: nothing new\n\n", w.Body.String())
	require.True(t, w.Flushed, "each is sent at once")
}

func TestKeptAnswerIsNotSent(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Accept")
	kept := transfer.Keep(w)
	require.Equal(t, "Accept", kept.Header().Get("Vary"))
	kept.Header().Set("ETag", `"1"`)
	kept.Header().Set("X-Other", "of this request")
	s := transfer.NewSink(kept, httptest.NewRequest(http.MethodPost, "/", nil), http.StatusCreated, nil, share(fairness.NewMemory(0)))
	_, err := io.WriteString(s, strings.Repeat("x", 100_000))
	require.NoError(t, err)
	s.Flush()
	s.Finish()
	answer := kept.Answer([]string{"ETag", "Link"})
	require.Equal(t, http.StatusCreated, answer.Status)
	require.Equal(t, map[string]string{"ETag": `"1"`}, answer.Header)
	require.Len(t, answer.Body, 100_000)
	require.Empty(t, w.Body.String())
	require.Empty(t, w.Header().Get("ETag"))
}
