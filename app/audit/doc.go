// Package audit holds the use case of reading a company's audit trail. Writing an entry is part
// of every use case that changes a record, in its transaction; core/audit says what is kept.
package audit
