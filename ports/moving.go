package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/moving"
)

// CarriedTable is a table whose rows move with a company.
type CarriedTable struct {
	Name  string
	Proof bool // its rows prove something in the file, and are not stored again
	// Files are the columns that name the stored bytes of a row; none: a row has no such bytes.
	Files []string
}

// CompanySurvey is what is known about a company before its rows are read.
type CompanySurvey struct {
	Schema  string // the newest migration
	IDs     map[string]moving.Span
	LeftOut []moving.LeftOut
	Wallet  *moving.Wallet // nil: it has none
}

// Arrival states what becomes of a company when it is stored.
type Arrival struct {
	IDs        moving.IDs
	Name       string            // of the company
	Emails     map[string]string // new addresses of people, by the old ones
	Crops      map[string]int64  // the catalog, by slug
	Object     func(table, key string) string
	ExportedAt time.Time
}

// AlreadyHere is what an installation already has of what a file brings.
type AlreadyHere struct {
	Company int64 // the id of the company with its uuid; 0: none
	Name    int64 // the id of the company with its name; 0: none
	Emails  []string
}

// Carrier reads everything that a company has, and stores it in another installation.
type Carrier interface {
	// Tables returns the tables, each after those that it refers to.
	Tables() []CarriedTable
	// Survey looks at a company. Faults: Conflict (orders_open).
	Survey(ctx context.Context, companyID int64) (CompanySurvey, error)
	// Rows streams the rows of a table, each as a JSON object that is valid until the next. Hashes of passwords are
	// included where that is asked for.
	Rows(ctx context.Context, companyID int64, table string, passwords bool) iter.Seq2[[]byte, error]

	// Here returns what of a company already exists here.
	Here(ctx context.Context, uuid, name string, emails []string) (AlreadyHere, error)
	// Crops returns the ids of the catalog by slug.
	Crops(ctx context.Context) (map[string]int64, error)
	// Reserve sets ids aside for spans of ids, by table, and returns the distances to them. Nobody else is assigned these ids.
	Reserve(ctx context.Context, spans map[string]moving.Span) (map[string]int64, error)
	// Insert stores rows and returns how many there were. An error that is not a fault concerns the last row read.
	Insert(ctx context.Context, table string, arrival Arrival, rows iter.Seq2[[]byte, error]) (int64, error)
	// Open stores an entry of the audit trail under an id that was reserved.
	Open(ctx context.Context, entry audit.Entry) error
}

// CompanyFiles writes and reads the files in which companies move.
type CompanyFiles interface {
	// Write begins a file.
	Write(to io.Writer) CompanyFileWriter
	// Open opens a file that may come from anybody: its names and sizes are bounded. Faults: Invalid (company_file).
	Open(file Object) (CompanyFileReader, error)
}

// CompanyFileWriter writes the entries of a file one after the other.
type CompanyFileWriter interface {
	// Add begins an entry, which ends where the next begins.
	Add(name string, at time.Time) (io.Writer, error)
	// Close ends the file.
	Close() error
}

// CompanyFileReader reads the entries of a file in any order.
type CompanyFileReader interface {
	// Names returns the names of all entries.
	Names() []string
	// Open returns the content of an entry, which must be of the given size; else reading it ends with an error. Faults: Invalid (company_file).
	Open(name string, size int64) (io.ReadCloser, error)
	// Small returns the content of an entry of up to limit bytes. Faults: Invalid (company_file).
	Small(name string, limit int64) ([]byte, error)
}

// Arrivals are the imports of companies that have begun and not ended: the bytes of their files are stored under their names.
type Arrivals interface {
	// Begin records that an import begins.
	Begin(ctx context.Context, name string, at time.Time) error
	// End forgets an import. Faults: NotFound.
	End(ctx context.Context, name string) error
	// Begun returns the names of those that began before a time.
	Begun(ctx context.Context, before time.Time) ([]string, error)
}

// CompanyExports are the exports that people of a company requested.
type CompanyExports interface {
	Lockable[moving.Request]
	// Insert stores an export. Faults: Conflict (export_running) where one is under way.
	Insert(ctx context.Context, scope access.Scope, export *moving.Request) error
	// Update stores the progress of an export. Faults: NotFound.
	Update(ctx context.Context, scope access.Scope, export moving.Request) error
}

// CompanyExportKeeper cleans up the exports of all companies.
type CompanyExportKeeper interface {
	// Old returns up to limit exports whose last change lies before a time.
	Old(ctx context.Context, before time.Time, limit int) ([]moving.Request, error)
	// Forget removes exports.
	Forget(ctx context.Context, ids []int64) error
}
