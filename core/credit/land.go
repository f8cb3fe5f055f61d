package credit

// Land is how much of a field a company has paid for: all of it once the field is charged, or else the part of its area
// that came from fields it was merged from. Where in the field that part lies is not kept.
type Land struct {
	CompanyID int64
	FieldID   int64
	AreaM2    int64
	Charged   bool
	PaidM2    int64   // where the field is not charged
	OrderID   int64   // whose charge it was, of a charged field
	Product   Product // what it was charged for
}

// Paid returns the area that is paid for.
func (l Land) Paid() int64 {
	if l.Charged {
		return l.AreaM2
	}
	return min(l.PaidM2, l.AreaM2)
}

// DueM2 returns the area of a field that an order is still charged for, given the area that was paid for before.
func DueM2(areaM2, paidM2 int64) int64 { return max(0, areaM2-paidM2) }

// Split returns how much of each piece of a field is paid for; the pieces are given with their ids and areas. Pieces of
// a charged field are charged; otherwise the paid area is shared out by area, to the square metre.
func (l Land) Split(pieces []Land) []Land {
	out := make([]Land, len(pieces))
	var total int64
	for _, p := range pieces {
		total += p.AreaM2
	}
	paid, seen, given := min(l.Paid(), total), int64(0), int64(0)
	for i, p := range pieces {
		out[i] = Land{CompanyID: l.CompanyID, FieldID: p.FieldID, AreaM2: p.AreaM2}
		if l.Charged {
			out[i].Charged, out[i].OrderID, out[i].Product = true, l.OrderID, l.Product
			continue
		}
		if seen += p.AreaM2; total > 0 {
			upTo := share(paid, seen, total) // of all pieces so far, so that the shares add up
			out[i].PaidM2, given = upTo-given, upTo
		}
	}
	return out
}

// Merge returns how much a company has paid for of the field that parts become. The merged field is charged where the whole area of
// each part is paid for and a part is charged. Otherwise the paid areas add up, so that nothing is charged twice and no land is free.
func Merge(field Land, parts []Land) Land {
	out := Land{CompanyID: field.CompanyID, FieldID: field.FieldID, AreaM2: field.AreaM2, Charged: len(parts) > 0}
	for _, p := range parts {
		out.Charged = out.Charged && p.Paid() >= p.AreaM2
		out.PaidM2 += p.Paid()
		if p.Charged && out.OrderID == 0 {
			out.OrderID, out.Product = p.OrderID, p.Product
		}
	}
	out.Charged = out.Charged && out.OrderID != 0
	if out.PaidM2 = min(out.PaidM2, out.AreaM2); out.Charged {
		out.PaidM2 = 0
	} else {
		out.OrderID, out.Product = 0, ""
	}
	return out
}

// share returns amount * part / whole, rounded down, exactly.
func share(amount, part, whole int64) int64 {
	q, r := amount/whole, amount%whole
	return q*part + r*part/whole // areas are below 2^31 m² by the limit of fields, so their products fit
}
