// Package storms runs the whole program while many things go wrong at once: a thousand orders over a failing imagery
// source, in processes that are killed (soak); mixed requests to a server that is killed, and the import of a company
// that is killed (kills); a company at work beside hostile clients (hostile). Nothing that was acknowledged is lost,
// nothing is duplicated, the honest clients are answered, and memory stays bounded. The package has only tests.
package storms
