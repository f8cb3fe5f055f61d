package flatgeobuf

import (
	"encoding/binary"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"tilth/core/geo"
)

const wgs84 = 4326

// Header returns the beginning of a file. Its features are areas or, with points, points, in longitude and latitude;
// features is their number. They follow without an index.
func Header(columns []Column, points bool, features uint64, box geo.Box) []byte {
	b := flatbuffers.NewBuilder(1 << 10)
	list := make([]flatbuffers.UOffsetT, len(columns))
	for i, c := range columns {
		name := b.CreateString(c.Name)
		b.StartObject(11)
		b.PrependUOffsetTSlot(columnName, name, 0)
		b.PrependByteSlot(columnType, byte(c.Type), 0)
		list[i] = b.EndObject()
	}
	b.StartVector(4, len(list), 4)
	for i := range list {
		b.PrependUOffsetT(list[len(list)-1-i])
	}
	all := b.EndVector(len(list))
	org := b.CreateString("EPSG")
	b.StartObject(6)
	b.PrependUOffsetTSlot(crsOrg, org, 0)
	b.PrependInt32Slot(crsCode, wgs84, 0)
	crs := b.EndObject()
	envelope := floats(b, box.MinX, box.MinY, box.MaxX, box.MaxY)
	kind := byte(multiPolygon)
	if points {
		kind = point
	}
	b.StartObject(14)
	if features > 0 {
		b.PrependUOffsetTSlot(headerEnvelope, envelope, 0)
	}
	b.PrependByteSlot(headerType, kind, 0)
	b.PrependUOffsetTSlot(headerColumns, all, 0)
	b.PrependUint64Slot(headerCount, features, 0)
	b.PrependUint16Slot(headerNodeSize, 0, 16)
	b.PrependUOffsetTSlot(headerCRS, crs, 0)
	b.FinishSizePrefixed(b.EndObject())
	return append([]byte(Magic+"\x01"), b.FinishedBytes()...)
}

func floats(b *flatbuffers.Builder, values ...float64) flatbuffers.UOffsetT {
	b.StartVector(8, len(values), 8)
	for i := range values {
		b.PrependFloat64(values[len(values)-1-i])
	}
	return b.EndVector(len(values))
}

// Write returns a feature with the values of its columns: an area, a point, or neither.
func Write(columns []Column, area geo.MultiPolygon, at *geo.Position, values []any) []byte {
	b := flatbuffers.NewBuilder(1 << 10)
	properties := b.CreateByteVector(propertiesOf(columns, values))
	var geometry flatbuffers.UOffsetT
	switch {
	case at != nil:
		xy := floats(b, at.X, at.Y)
		b.StartObject(8)
		b.PrependUOffsetTSlot(geometryXY, xy, 0)
		b.PrependByteSlot(geometryType, point, 0)
		geometry = b.EndObject()
	case area != nil:
		geometry = areaOf(b, area)
	}
	b.StartObject(3)
	if geometry != 0 {
		b.PrependUOffsetTSlot(featureGeometry, geometry, 0)
	}
	b.PrependUOffsetTSlot(featureProperties, properties, 0)
	b.FinishSizePrefixed(b.EndObject())
	return b.FinishedBytes()
}

func areaOf(b *flatbuffers.Builder, area geo.MultiPolygon) flatbuffers.UOffsetT {
	parts := make([]flatbuffers.UOffsetT, len(area))
	for i, p := range area {
		var ends []uint32
		var xy []float64
		for _, ring := range p {
			for _, at := range ring {
				xy = append(xy, at.X, at.Y)
			}
			ends = append(ends, uint32(len(xy)/2))
		}
		positions := floats(b, xy...)
		b.StartVector(4, len(ends), 4)
		for j := range ends {
			b.PrependUint32(ends[len(ends)-1-j])
		}
		all := b.EndVector(len(ends))
		b.StartObject(8)
		b.PrependUOffsetTSlot(geometryEnds, all, 0)
		b.PrependUOffsetTSlot(geometryXY, positions, 0)
		b.PrependByteSlot(geometryType, polygon, 0)
		parts[i] = b.EndObject()
	}
	b.StartVector(4, len(parts), 4)
	for i := range parts {
		b.PrependUOffsetT(parts[len(parts)-1-i])
	}
	list := b.EndVector(len(parts))
	b.StartObject(8)
	b.PrependByteSlot(geometryType, multiPolygon, 0)
	b.PrependUOffsetTSlot(geometryParts, list, 0)
	return b.EndObject()
}

// propertiesOf returns the values that are not nil, each after the number of its column.
func propertiesOf(columns []Column, values []any) (out []byte) {
	le := binary.LittleEndian
	for i, value := range values {
		if value == nil {
			continue
		}
		out = le.AppendUint16(out, uint16(i))
		switch v := value.(type) {
		case bool:
			flag := byte(0)
			if v {
				flag = 1
			}
			out = append(out, flag)
		case int64:
			out = le.AppendUint64(out, uint64(v))
		case float64:
			out = le.AppendUint64(out, math.Float64bits(v))
		case string:
			out = append(le.AppendUint32(out, uint32(len(v))), v...)
		}
	}
	return out
}
