package guide

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"tilth/core/markup"
)

//go:embed assets
var embedded embed.FS

// pictures has the content types of the pictures that guides show, by file extension.
var pictures = map[string]string{".svg": "image/svg+xml"}

// assets has the files from which pages are made, with their content types.
var assets = map[string]string{"guide.css": "text/css; charset=utf-8", "guide.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"}

// searchFile holds the search index.
const searchFile = "search.json"

const (
	mediaPage = "text/html; charset=utf-8"
	mediaText = "text/plain; charset=utf-8"
)

// page is one guide.
type page struct {
	Name, Title string
	Summary     string // its first paragraph
	Body        markup.Text
	Sections    []section
}

// section is a part of a page under a heading, as the search finds it. The part before the first heading has no anchor.
type section struct {
	Anchor, Heading string
	Level           int
	Text            string
}

// rendered returns everything that is served, by its key.
func rendered(files fs.FS, sources map[string]string, where addresses) (map[string]file, error) {
	out, pages := map[string]file{}, map[string]*page{}
	for name, source := range sources {
		content, err := fs.ReadFile(files, source)
		if err != nil {
			return nil, fmt.Errorf("read the guide %s: %w", source, err)
		}
		if ending := path.Ext(source); ending != ".md" {
			out[where.key(name)] = file{cmp.Or(pictures[ending], mediaText), content}
			continue
		}
		if pages[name], err = read(name, source, content, links{sources, where}); err != nil {
			return nil, err
		}
	}
	for name, media := range assets {
		content, err := embedded.ReadFile("assets/" + name)
		if err != nil {
			return nil, fmt.Errorf("read %s of the guides: %w", name, err)
		}
		out[where.key(name)] = file{media, content}
	}
	return out, write(pages, where, out)
}

// write adds the pages, the contents and the search index.
func write(pages map[string]*page, where addresses, out map[string]file) error {
	var chapters []shownChapter
	var order []*page
	for _, c := range contents {
		shown := shownChapter{title: c.Title}
		for _, name := range c.Names {
			p := pages[name]
			if p == nil {
				return fmt.Errorf("the contents name a guide that does not exist: %s", name)
			}
			shown.pages, order = append(shown.pages, p), append(order, p)
		}
		chapters = append(chapters, shown)
	}
	if len(order) != len(pages) {
		return fmt.Errorf("%d guides, %d of them in the contents", len(pages), len(order))
	}
	base := view{chapters: chapters, where: where}
	for i, p := range append([]*page{nil}, order...) {
		v, name := base, ""
		if v.page = p; p != nil {
			name = p.Name
		}
		if i > 1 {
			v.before = order[i-2]
		}
		if i < len(order) {
			v.after = order[i]
		}
		out[where.key(name)] = file{mediaPage, []byte(v.html())}
	}
	found, err := index(order, where)
	out[where.key(searchFile)] = file{"application/json", found}
	return err
}

// index returns the search index: every section of every page.
func index(pages []*page, where addresses) ([]byte, error) {
	type entry struct {
		Link    string `json:"link"`
		Page    string `json:"page"`
		Heading string `json:"heading"`
		Text    string `json:"text"`
	}
	var out []entry
	for _, p := range pages {
		for _, s := range p.Sections {
			link := where.link(p.Name)
			if s.Anchor != "" {
				link += "#" + s.Anchor
			}
			out = append(out, entry{link, p.Title, s.Heading, s.Text})
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write what the search looks in: %w", err)
	}
	return b, nil
}

// read renders one guide. A link to a file that does not exist is an error.
func read(name, source string, content []byte, to links) (*page, error) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	tree := markdown.Parser().Parse(text.NewReader(content))
	p := &page{Name: name, Sections: []section{{}}}
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		return p.visit(n, content, source, to)
	})
	if err != nil {
		return nil, fmt.Errorf("the guide %s: %w", source, err)
	}
	p.Title = cmp.Or(p.Title, name)
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, content, tree); err != nil {
		return nil, fmt.Errorf("render the guide %s: %w", source, err)
	}
	wide := strings.NewReplacer("<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`, "<th></th>", "<td></td>")
	p.Body = markup.Text(wide.Replace(b.String())) // the program's own guides; raw HTML in them is left out
	return p, nil
}

// visit collects from a node what the contents and the search need, and resolves the address of a link or picture.
func (p *page) visit(n ast.Node, content []byte, source string, to links) (ast.WalkStatus, error) {
	last := &p.Sections[len(p.Sections)-1]
	switch n := n.(type) {
	case *ast.Heading:
		heading := plain(n, content)
		if n.Level == 1 && p.Title == "" {
			p.Title = heading
			return ast.WalkContinue, nil
		}
		anchor, _ := n.AttributeString("id")
		id, _ := anchor.([]byte)
		p.Sections = append(p.Sections, section{Anchor: string(id), Heading: heading, Level: n.Level})
	case *ast.Paragraph:
		if p.Summary == "" {
			p.Summary = plain(n, content)
		}
		last.Text += plain(n, content) + " "
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		last.Text += string(n.Lines().Value(content)) + " "
	case *ast.TextBlock:
		last.Text += plain(n, content) + " "
	case *ast.Link:
		address, err := to.resolve(source, string(n.Destination))
		if err != nil {
			return ast.WalkStop, err
		}
		n.Destination = []byte(address)
	case *ast.Image:
		address, err := to.resolve(source, string(n.Destination))
		if err != nil {
			return ast.WalkStop, err
		}
		n.Destination = []byte(address)
	default:
		if n.Kind().String() == "TableCell" {
			last.Text += plain(n, content) + " "
		}
	}
	return ast.WalkContinue, nil
}

// plain returns the text of a node without its markup.
func plain(n ast.Node, content []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the callback has no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Segment.Value(content))
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.AutoLink:
			out.Write(n.Label(content))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// links turns references between files into addresses.
type links struct {
	sources map[string]string
	where   addresses
}

func (l links) resolve(source, destination string) (string, error) {
	if strings.Contains(destination, "://") || strings.HasPrefix(destination, "#") || strings.HasPrefix(destination, "mailto:") {
		return destination, nil
	}
	target, anchor, marked := strings.Cut(destination, "#")
	target = path.Join(path.Dir(source), target)
	name := shown(target)
	if l.sources[name] == "" && name != document {
		return "", fmt.Errorf("a link to %s, which is not a guide", destination)
	}
	if marked {
		return l.where.link(name) + "#" + anchor, nil
	}
	return l.where.link(name), nil
}
