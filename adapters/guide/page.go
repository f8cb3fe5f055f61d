package guide

import (
	_ "embed" // the frame of pages

	"tilth/core/markup"
)

//go:embed assets/page.html
var frame string

// view is what is shown: a page, or the contents if page is nil.
type view struct {
	page          *page
	chapters      []shownChapter
	before, after *page
	where         addresses
}

type shownChapter struct {
	title string
	pages []*page
}

// html returns the whole page. It links to the reference of the interface only if a server serves it.
func (v view) html() markup.Text {
	served := v.where.served
	holes := map[string]any{
		"Served": markup.If(served, " data-served"), "Title": "", "Summary": markup.Text(""), "Home": v.where.link(""), "Contents": v.where.link(""), "All": markup.If(v.page == nil, current),
		"Icon": v.where.link("icon.svg"), "Style": v.where.link("guide.css"), "Script": v.where.link("guide.js"), "Search": v.where.link(searchFile),
		"Reference": markup.If(served, `<a class="reference" href="/docs/api/">API reference</a>`),
		"Chapters":  v.navigation(), "Main": v.contents(), "Before": markup.Text(""), "Sections": markup.Text(""),
		"After": turn("next", v.where.link(""), "Next", "All guides"),
	}
	if served {
		holes["Home"] = "/"
	}
	if p := v.page; p != nil {
		holes["Title"], holes["Main"], holes["Sections"] = p.Title+" · ", "<article>"+p.Body+"</article>", p.sections()
		holes["Summary"] = markup.Sprintf(`<meta name="description" content="%s">`, p.Summary)
	}
	if p := v.before; p != nil {
		holes["Before"] = turn("prev", v.where.link(p.Name), "Before", p.Title)
	}
	if p := v.after; p != nil {
		holes["After"] = turn("next", v.where.link(p.Name), "Next", p.Title)
	}
	return markup.Fill(frame, holes)
}

// current marks the link to the page that is shown.
const current = ` aria-current="page"`

// turn returns a link to the previous or the next page.
func turn(rel, link, word, title string) markup.Text {
	return markup.Sprintf(`<a rel="%s" href="%s"><small>%s</small> %s</a>`, rel, link, word, title)
}

// navigation returns the list of all pages, which stands beside each page.
func (v view) navigation() markup.Text {
	return markup.Join(v.chapters, func(_ int, c shownChapter) markup.Text {
		return markup.Sprintf("<h2>%s</h2>\n<ul>%s</ul>\n", c.title, markup.Join(c.pages, func(_ int, p *page) markup.Text {
			return markup.Sprintf(`<li><a href="%s"%s>%s</a></li>`, v.where.link(p.Name), markup.If(p == v.page, current), p.Title)
		}))
	})
}

// contents returns the page that lists all pages, with a summary of each.
func (v view) contents() markup.Text {
	return "<h1>Guides</h1>\n<p>What Tilth does, how to do it, and how its figures are worked out." +
		markup.If(v.where.served, ` Every operation is in the <a href="/docs/api/">API reference</a>.`) + "</p>\n" +
		markup.Join(v.chapters, func(_ int, c shownChapter) markup.Text {
			return markup.Sprintf("<h2>%s</h2>\n<dl>%s</dl>\n", c.title, markup.Join(c.pages, func(_ int, p *page) markup.Text {
				return markup.Sprintf(`<dt><a href="%s">%s</a></dt><dd>%s</dd>`, v.where.link(p.Name), p.Title, p.Summary)
			}))
		})
}

// sections returns the links to the headings of a page.
func (p *page) sections() markup.Text {
	return `<aside aria-label="On this page"><h2>On this page</h2><ul>` + markup.Join(p.Sections, func(_ int, s section) markup.Text {
		if s.Anchor == "" || s.Level > 3 {
			return ""
		}
		return markup.Sprintf(`<li class="level%d"><a href="#%s">%s</a></li>`, s.Level, s.Anchor, s.Heading)
	}) + "</ul></aside>"
}
