package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"tilth/core/fault"
)

// Names of the files in the folder of an authority.
const (
	AuthorityFile    = "ca.pem"     // for the devices that should trust it
	authorityKeyFile = "ca-key.pem" // keep it secret
	ServerFile       = "server.pem"
	ServerKeyFile    = "server-key.pem"
)

// authorityYears is the number of years for which an authority is valid.
const authorityYears = 10

// Create makes a server certificate, valid for a number of days, in a folder. The authority in the folder
// signs it, or a new one if there is none. Names are host names or IP addresses. Faults: Invalid (host).
func Create(folder string, names []string, days int, now time.Time) error {
	request := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "Tilth"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(0, 0, days), // for devices whose clocks are behind
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			request.IPAddresses = append(request.IPAddresses, ip)
		} else {
			request.DNSNames = append(request.DNSNames, name)
		}
	}
	if len(names) == 0 {
		return fault.Field("host", "At least one name or address of the server is required.")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of certificates: %w", err)
	}
	authority, signer, err := authorityOf(folder, now)
	if err != nil {
		return err
	}
	if request.NotAfter.After(authority.NotAfter) {
		request.NotAfter = authority.NotAfter
	}
	return issue(request, authority, signer, filepath.Join(folder, ServerFile), filepath.Join(folder, ServerKeyFile))
}

// authorityOf reads the authority of a folder, or makes one.
func authorityOf(folder string, now time.Time) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	file, keyFile := filepath.Join(folder, AuthorityFile), filepath.Join(folder, authorityKeyFile)
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		made := &x509.Certificate{
			Subject:   pkix.Name{CommonName: "Tilth, the authority of " + now.UTC().Format(time.DateOnly)},
			NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(authorityYears, 0, 0),
			KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		}
		if err := issue(made, nil, nil, file, keyFile); err != nil {
			return nil, nil, err
		}
	}
	block, err := readPEM(file)
	if err != nil {
		return nil, nil, err
	}
	authority, err := x509.ParseCertificate(block)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", file, err)
	}
	if block, err = readPEM(keyFile); err != nil {
		return nil, nil, err
	}
	key, err := x509.ParseECPrivateKey(block)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", keyFile, err)
	}
	return authority, key, nil
}

// issue makes a key and signs its certificate, or self-signs it if there is no authority. It writes the key
// first: a server that looks in between finds two files that do not match, and keeps using the previous ones.
func issue(request, authority *x509.Certificate, signer *ecdsa.PrivateKey, file, keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if request.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return err
	}
	if authority == nil {
		authority, signer = request, key
	}
	signed, err := x509.CreateCertificate(rand.Reader, request, authority, &key.PublicKey, signer)
	if err != nil {
		return fmt.Errorf("sign a certificate: %w", err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePEM(keyFile, "EC PRIVATE KEY", private, 0o600); err != nil {
		return err
	}
	return writePEM(file, "CERTIFICATE", signed, 0o644)
}

// writePEM replaces a file atomically.
func writePEM(file, kind string, content []byte, mode os.FileMode) error {
	part := file + ".new"
	if err := os.WriteFile(part, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), mode); err != nil {
		return fmt.Errorf("write a certificate: %w", err)
	}
	return os.Rename(part, file)
}

func readPEM(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read a certificate: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is not a PEM file", file)
	}
	return block.Bytes, nil
}
