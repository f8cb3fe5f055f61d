// Package storms runs the whole program while much goes wrong at once: a thousand orders over an imagery source that fails, in
// processes that are killed (soak); mixed requests to a server that is killed, and a company that arrives while the import is
// (kills); a company at work beside clients who mean no good (hostile). Nothing that was acknowledged is lost, nothing is there
// twice, the honest are answered, and memory stays bounded. It has tests alone.
package storms
