package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

func TestCropCurvesAreOfOwners(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	owner := s.Company("owner", 0)
	editor := s.User(owner.CompanyID, "editor")
	const curves = "ghg/crop-curves/"
	require.Equal(t, []any{}, owner.Expect(200, http.MethodGet, curves, nil).Map(t)["data"])
	refused(t, owner, 400, "too_few_labelled", http.MethodPost, curves, "")
	refused(t, owner, 400, "too_few_labelled", http.MethodPost, curves+"?preview=true", "")
	refused(t, editor, 403, "permission_denied", http.MethodPost, curves, "")
	editor.Expect(200, http.MethodGet, curves, nil)
	owner.Expect(404, http.MethodDelete, curves+"1/", nil)
	owner.Expect(404, http.MethodDelete, curves+"9223372036854775807/", nil)
}
