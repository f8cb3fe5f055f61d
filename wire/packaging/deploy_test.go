package packaging

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"

	"tilth/adapters/cli"
)

// kinds are the objects that the manifests may hold.
var kinds = map[string]func() any{
	"v1/Namespace": func() any { return new(corev1.Namespace) }, "v1/ConfigMap": func() any { return new(corev1.ConfigMap) },
	"v1/Secret": func() any { return new(corev1.Secret) }, "v1/Service": func() any { return new(corev1.Service) },
	"apps/v1/Deployment": func() any { return new(appsv1.Deployment) }, "batch/v1/Job": func() any { return new(batchv1.Job) },
	"policy/v1/PodDisruptionBudget": func() any { return new(policyv1.PodDisruptionBudget) },
}

// manifests decodes every object of the manifests. A member that its type does not have is an error.
func manifests(t *testing.T) (out []any) {
	t.Helper()
	names, err := filepath.Glob("kubernetes/*.yaml")
	require.NoError(t, err)
	require.Len(t, names, 4)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			var is struct{ APIVersion, Kind string }
			require.NoError(t, strict.Unmarshal(document, &is), name)
			create := kinds[is.APIVersion+"/"+is.Kind]
			require.NotNil(t, create, "%s: %s/%s", name, is.APIVersion, is.Kind)
			object := create()
			require.NoError(t, strict.UnmarshalStrict(document, object), name)
			out = append(out, object)
		}
	}
	return out
}

func of[T any](all []any) (out []T) {
	for _, one := range all {
		if it, ok := one.(T); ok {
			out = append(out, it)
		}
	}
	return out
}

// pods returns the pods of deployments and jobs, by their names.
func pods(all []any) map[string]corev1.PodTemplateSpec {
	out := map[string]corev1.PodTemplateSpec{}
	for _, d := range of[*appsv1.Deployment](all) {
		out[d.Name] = d.Spec.Template
	}
	for _, j := range of[*batchv1.Job](all) {
		out[j.Name] = j.Spec.Template
	}
	return out
}

func TestManifestsHangTogether(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	require.Len(t, pods(all), 3)
	held := map[string]bool{}
	for _, c := range of[*corev1.ConfigMap](all) {
		held["map "+c.Name] = true
	}
	for _, s := range of[*corev1.Secret](all) {
		held["secret "+s.Name] = true
	}
	budgets := map[string]bool{}
	for _, b := range of[*policyv1.PodDisruptionBudget](all) {
		budgets[b.Name] = true
	}
	for _, d := range of[*appsv1.Deployment](all) {
		require.Equal(t, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels, d.Name)
		require.Greater(t, *d.Spec.Replicas, int32(1), d.Name)
		require.True(t, budgets[d.Name], "%s has no budget of disruptions", d.Name)
		c := d.Spec.Template.Spec.Containers[0]
		require.NotNil(t, c.StartupProbe, d.Name)
		require.Equal(t, "/healthz", c.LivenessProbe.HTTPGet.Path)
		require.Equal(t, "/readyz", c.ReadinessProbe.HTTPGet.Path)
		require.Contains(t, c.Args, "--no-migrate", "only the job changes the schema")
		for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
			require.True(t, slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == probe.HTTPGet.Port.StrVal }), d.Name)
		}
	}
	for name, pod := range pods(all) {
		require.True(t, *pod.Spec.SecurityContext.RunAsNonRoot, name)
		require.Len(t, pod.Spec.Containers, 1)
		c := pod.Spec.Containers[0]
		require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem, name)
		require.False(t, *c.SecurityContext.AllowPrivilegeEscalation, name)
		require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop)
		for _, from := range c.EnvFrom {
			require.True(t, from.ConfigMapRef == nil || held["map "+from.ConfigMapRef.Name], name)
			require.True(t, from.SecretRef == nil || held["secret "+from.SecretRef.Name], name)
		}
		volumes := map[string]bool{}
		for _, v := range pod.Spec.Volumes {
			volumes[v.Name] = true
			require.True(t, v.Secret == nil || held["secret "+v.Secret.SecretName], name)
		}
		for _, m := range c.VolumeMounts {
			require.True(t, volumes[m.Name], "%s mounts %s", name, m.Name)
		}
	}
	service := of[*corev1.Service](all)[0]
	require.True(t, slices.ContainsFunc(of[*appsv1.Deployment](all), func(d *appsv1.Deployment) bool {
		return reflect.DeepEqual(d.Spec.Selector.MatchLabels, service.Spec.Selector)
	}))
}

// Each process of the manifests would start: its settings are valid together, and all roles are covered.
func TestManifestsHoldValidSettings(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	environ := map[string]string{}
	for _, c := range of[*corev1.ConfigMap](all) {
		maps.Copy(environ, c.Data)
	}
	for _, s := range of[*corev1.Secret](all) {
		if s.Name == "tilth" {
			maps.Copy(environ, s.StringData)
		}
	}
	var roles []string
	for name, pod := range pods(all) {
		c := pod.Spec.Containers[0]
		own := maps.Clone(environ)
		for _, e := range c.Env {
			own[e.Name] = e.Value
		}
		roles = append(roles, started(t, name, c.Args, own)...)
	}
	slices.Sort(roles)
	require.Equal(t, []string{"api", "relay", "worker"}, roles)
}

func TestComposeHangsTogether(t *testing.T) {
	t.Parallel()
	environ := exampleOfCompose(t)
	project, err := load(t, environ)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"migrate", "api", "worker", "admin", "postgres", "nats", "objects", "bucket"}, project.ServiceNames())
	var roles []string
	for name, s := range project.Services {
		require.Empty(t, s.NetworkMode, "%s: podman-compose puts every service into the network of the project, and refuses it", name)
		if !strings.HasPrefix(s.Image, "tilth:") {
			require.NotContains(t, s.Image, "latest")
			require.Contains(t, s.Image, ":", "%s names no version", name)
			continue
		}
		require.True(t, s.ReadOnly, name)
		require.Equal(t, "65532:65532", s.User)
		require.Equal(t, []string{"ALL"}, s.CapDrop)
		own := map[string]string{}
		for variable, value := range s.Environment {
			own[variable] = *value
		}
		roles = append(roles, started(t, name, s.Command, own)...)
	}
	slices.Sort(roles)
	require.Equal(t, []string{"api", "relay", "worker"}, roles)
	for name := range environ {
		less := maps.Clone(environ)
		delete(less, name)
		_, err := load(t, less)
		require.Equal(t, name != "TILTH_PUBLIC_URL", err != nil, "without %s", name)
	}
}

// exampleOfCompose returns the variables of the example that is copied to .env.
func exampleOfCompose(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("compose/example.env")
	require.NoError(t, err)
	environ := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			environ[name] = value
		}
	}
	return environ
}

// load reads the compose file with variables, to which the library adds its own.
func load(t *testing.T, environ map[string]string) (*types.Project, error) {
	compose := types.ConfigDetails{ConfigFiles: []types.ConfigFile{{Filename: "compose/compose.yaml"}}, WorkingDir: "compose", Environment: maps.Clone(environ)}
	return loader.LoadWithContext(t.Context(), compose, func(o *loader.Options) { o.Profiles = []string{"admin"} })
}

// started returns the roles of the process that a command starts, and checks that its settings are valid.
func started(t *testing.T, name string, args []string, environ map[string]string) []string {
	t.Helper()
	if args[0] != "serve" {
		return nil
	}
	at := slices.Index(args, "--roles")
	require.Positive(t, at, name)
	environ["TILTH_ROLES"] = args[at+1]
	cfg, err := cli.ReadConfig(environ)
	require.NoError(t, err, name)
	require.NoError(t, cfg.Check(), name)
	known := settingNames()
	for variable := range environ {
		require.True(t, known[variable] || strings.HasPrefix(variable, "AWS_"), "%s: %s is no setting", name, variable)
	}
	return strings.Split(args[at+1], ",")
}

func settingNames() map[string]bool {
	out := map[string]bool{}
	for field := range reflect.TypeFor[cli.Config]().Fields() {
		out[field.Tag.Get("env")] = true
	}
	return out
}

// Every variable in the files of the Debian package is a setting, even where it is commented out.
func TestDebianSettingsAreKnown(t *testing.T) {
	t.Parallel()
	known, seen := settingNames(), 0
	for _, name := range []string{"debian/defaults.env", "debian/tilth.env"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if variable, _, ok := strings.Cut(strings.TrimPrefix(line, "#"), "="); ok && !strings.Contains(variable, " ") {
				seen++
				require.True(t, known[variable], "%s: %s", name, variable)
			}
		}
	}
	require.Greater(t, seen, 8)
}
