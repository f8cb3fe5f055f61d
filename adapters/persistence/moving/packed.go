package moving

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"tilth/adapters/persistence/sqlstore"
)

// maxOpened bounds the size of an inflated document, as [sqlstore.Inflate] does.
const maxOpened = 256 << 20

func inflate(raw []byte) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(raw))
	text, err := io.ReadAll(io.LimitReader(r, maxOpened))
	if err == nil {
		err = r.Close()
	}
	return text, err
}

// open writes deflated JSON as JSON.
func open(out *bytes.Buffer, raw []byte) error {
	text, err := inflate(raw)
	if err != nil {
		return err
	}
	return json.Compact(out, text)
}

// list writes deflated numbers as a list, each in the shortest form that reads back the same.
func list(out *bytes.Buffer, raw []byte) error {
	packed, err := inflate(raw)
	if err != nil {
		return err
	}
	out.WriteByte('[')
	for i := 0; i+4 <= len(packed); i += 4 {
		if i > 0 {
			out.WriteByte(',')
		}
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(packed[i:])))
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out.WriteString("null")
		} else {
			out.Write(strconv.AppendFloat(out.AvailableBuffer(), v, 'g', -1, 32))
		}
	}
	out.WriteByte(']')
	return nil
}

// pack is the reverse of list.
func pack(raw json.RawMessage) ([]byte, error) {
	var numbers []*float32
	if err := json.Unmarshal(raw, &numbers); err != nil {
		return nil, fmt.Errorf("it is not a list of numbers")
	}
	packed := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		v := float32(math.NaN())
		if n != nil {
			v = *n
		}
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(v))
	}
	return sqlstore.DeflateBytes(packed)
}
