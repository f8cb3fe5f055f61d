package farm

import "time"

// Crop is an entry of the catalog that all companies share. Codes are text: ICC "1.10" is not 1.1.
type Crop struct {
	ID             int64
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Slug           string
	Name           string // English
	ScientificName string
	ICCGroup       string
	ICCCode        string
	CPCCode        string
	HCAT3Code      string
	Lifecycle      string // annual, biennial, perennial
	Family         string
	IsNFixing      bool
	IsFlooded      bool
	IsGrassland    bool
	IsCover        bool
	GHGCropType    string
	CurveClasses   []string
	Names          map[string]string // by language code: fr, es, de, pt
	IsActive       bool
}
