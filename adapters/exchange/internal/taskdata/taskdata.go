// Package taskdata has the constants of ISO 11783-10 (version 4) that the reader and the writer of its files share.
package taskdata

// The names of files in an archive.
const (
	Folder   = "TASKDATA/"
	Main     = "TASKDATA.XML"
	LinkList = "LINKLIST.XML"
)

// Root is the outermost element of the main file.
const Root = "ISO11783_TaskData"

// LinkRoot is the outermost element of the list of links, which states the ids of the records of the main file in other systems.
const LinkRoot = "ISO11783LinkList"

// The elements of records, with which their ids begin too.
const (
	Customer = "CTR"
	Farm     = "FRM"
	Field    = "PFD"
	CropType = "CTP"
	Product  = "PDT"
	Device   = "DVC"
	Worker   = "WKR"
	Guidance = "GGP" // a group of lines to drive along
	External = "XFR" // a reference to a file with more records
	Attached = "AFE"
)

// The elements of tasks.
const (
	Task          = "TSK"
	TreatmentZone = "TZN"
	ProcessData   = "PDV"
	Grid          = "GRD"
	Time          = "TIM"
	Allocation    = "PAN" // of a product to a task
	Stamp         = "ASP" // of the time of an allocation
)

// The states of tasks, and the types of their times.
const (
	TaskPlanned   = "1"
	TaskCompleted = "4"
	TimePlanned   = "1"
	TimeEffective = "4"
)

// The elements of geometries.
const (
	Polygon = "PLN"
	Line    = "LSG"
	Point   = "PNT"
)

// The types of geometries.
const (
	Boundary  = "1" // of polygons
	MainField = "9"
	Exterior  = "1" // of lines
	Interior  = "2"
	Flag      = "1" // of points
	Other     = "2"
)

// The elements of links.
const (
	LinkGroup   = "LGP"
	Link        = "LNK"
	UUIDs       = "1" // of groups
	Proprietary = "2"
)

// The groups of links that Tilth writes: the keys of fields and tasks in other systems; the keys of products in its catalog, and their
// names as they were typed, which have no bound; the cultivations to which tasks applied something; and the names of farms that are
// longer than a designator.
const (
	ExternalIDs  = "external_id"
	ProductKeys  = "product"
	ProductNames = "product_name"
	Cultivations = "cultivation"
	FarmNames    = "farm_name"
)

// MaxDesignator is the maximum number of characters of the names of records.
const MaxDesignator = 32
