// Command sbom writes the software bill of materials of the program: its modules with their
// versions and licences, in CycloneDX's JSON. It is a build tool and reads the module cache.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

const program = "./wire/tilth"

func main() {
	if err := write(context.Background(), os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// write writes the bill. The same sources result in the same bytes.
func write(ctx context.Context, to io.Writer) error {
	modules, err := modulesOf(ctx, program)
	if err != nil {
		return err
	}
	bom := cdx.NewBOM()
	components := []cdx.Component{{
		BOMRef: "std", Type: cdx.ComponentTypeLibrary, Name: "std", Version: strings.TrimPrefix(runtime.Version(), "go"),
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go"), Licenses: &cdx.Licenses{{Expression: "BSD-3-Clause"}},
	}}
	needs := []string{"std"}
	for _, m := range modules {
		licences, err := licencesOf(m)
		if err != nil {
			return err
		}
		one := cdx.Component{
			BOMRef: m.Path, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
			PackageURL: "pkg:golang/" + m.Path + "@" + m.Version, Licenses: &cdx.Licenses{{Expression: strings.Join(licences, " AND ")}},
		}
		if m.Main {
			one.Type, one.PackageURL = cdx.ComponentTypeApplication, ""
			bom.Metadata = &cdx.Metadata{Component: &one}
			continue
		}
		components, needs = append(components, one), append(needs, m.Path)
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: modules[0].Path, Dependencies: &needs}}
	return cdx.NewBOMEncoder(to, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}
