// Reference writes the reference pages into the folder of the guides: commands, settings, permissions, events, errors
// and formats, each from the code that defines it, or from the interface document that was made from that code. make
// generate runs it. It is not part of the program, and adds no text of its own: the guides next to it have that.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"tilth/adapters/cli"
)

func main() {
	dir := flag.String("dir", "docs", "the folder of the guides, with openapi.json in it")
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// note is the last line of every page.
const note = "\n\nThis page is written from the code: `make generate`.\n"

func write(dir string) error {
	pages, err := pages(dir)
	if err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o644); err != nil { //nolint:gosec // guides are for everybody
			return err
		}
	}
	return nil
}

// pages returns the text of each page by its name.
func pages(dir string) (map[string]string, error) {
	document, err := readDocument(filepath.Join(dir, "openapi.json"))
	if err != nil {
		return nil, fmt.Errorf("read the document of the interface: %w", err)
	}
	root, err := cli.Commands(described{})
	if err != nil {
		return nil, err
	}
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		return nil, errors.New("there is no command serve, whose flags are the settings")
	}
	out := map[string]string{
		"commands": commands(root), "settings": settings(serve), "permissions": permissions(document),
		"event-types": eventTypes(), "errors": errorCodes(document), "formats": formats(document),
	}
	for name, text := range out {
		out[name] = strings.TrimRight(text, "\n") + note
	}
	return out, nil
}

// described is a program that the command line only asks for its description.
type described struct{ cli.Program }

func (described) Build() cli.Build { return cli.Build{} }

// bracketed is what Markdown would read as an address or as HTML.
var bracketed = regexp.MustCompile(`<[^<>]+>`)

// cell returns a text formatted for a cell of a table.
func cell(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
	return bracketed.ReplaceAllString(text, "`$0`")
}

// row returns a line of a table.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// head returns the first two lines of a table.
func head(names ...string) string {
	return row(names...) + "|" + strings.Repeat(" --- |", len(names)) + "\n"
}

// code returns a text formatted as code.
func code(text string) string { return "`" + text + "`" }

// anchor returns the name of a heading in the address of its page.
func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }
