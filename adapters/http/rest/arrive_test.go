package rest_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
	"tilth/core/fault"
)

// A handler decodes a body within its transaction, under locks that block others, so the body has arrived before.
func TestTheBodyIsThereBeforeTheHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type change struct {
			Name string `json:"name"`
		}
		begun := false
		r := newRig(t)
		route := rest.Route{Method: http.MethodPatch, Path: "thing/{id}/", OperationID: "thing_update", Summary: "S", Tag: "T", Body: rest.Body[change]()}
		rest.Handle(r.api, route, func(_ context.Context, c *rest.Call, _ struct {
			ID int64 `path:"id"`
		}) (map[string]string, error) {
			begun = true
			if c.Param("id") == "2" {
				return nil, fault.Missing("thing")
			}
			body, err := rest.Decode[change](c)
			return map[string]string{"name": body.Name}, err
		})
		slow := func(path, rest string) (status int) {
			begun = false
			body, client := io.Pipe()
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				status = send(t, r.api, http.MethodPatch, path, "application/json", body).Code
			}()
			_, err := io.WriteString(client, `{"name":`)
			require.NoError(t, err)
			synctest.Wait()
			require.False(t, begun, "the rest of the body is not there")
			_, _ = io.WriteString(client, rest)
			require.NoError(t, client.Close())
			<-answered
			return status
		}
		require.Equal(t, http.StatusOK, slow("thing/1/", `"a"}`))
		require.Equal(t, http.StatusBadRequest, slow("thing/1/", `]`))
		require.Equal(t, http.StatusNotFound, slow("thing/2/", `]`), "what is not there comes before what is wrong with the body")
	})
}
