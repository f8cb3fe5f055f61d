// Package fairness keeps a company from taking what others need of one server: its processors and connections (Turns),
// its memory for large bodies (Memory), its long lists (Lists). How often callers may ask is the subject of limit.
package fairness
