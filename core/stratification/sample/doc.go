// Package sample holds the soil samples of a plan and the estimates from them: means, stocks, their
// intervals, and the change between two rounds. It places no points.
package sample
