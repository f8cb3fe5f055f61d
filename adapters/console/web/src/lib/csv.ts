/** Writes rows as CSV (RFC 4180). Text that a spreadsheet would take for a formula is escaped with an apostrophe. */
export function csv(rows: (string | number | null)[][]): string {
  const cell = (value: string | number | null) => {
    if (value === null) return ''
    if (typeof value === 'number') return String(value)
    const text = /^[=+\-@\t\r]/.test(value) ? "'" + value : value
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text
  }
  return rows.map((row) => row.map(cell).join(',') + '\r\n').join('')
}
