// Package lowest is a priority queue of numbered things.
package lowest

import "container/heap"

// Item is a thing in a queue, with the value by which it is taken.
type Item struct {
	Value  float64
	Number int
}

// Queue holds items: the lowest value is taken first and, among equal values, the lowest number.
type Queue struct{ items items }

// Add adds an item.
func (q *Queue) Add(value float64, number int) { heap.Push(&q.items, Item{value, number}) }

// Take removes the first item and returns it; ok is false where the queue is empty.
func (q *Queue) Take() (first Item, ok bool) {
	if len(q.items) == 0 {
		return Item{}, false
	}
	return heap.Pop(&q.items).(Item), true
}

type items []Item

func (s items) Len() int { return len(s) }
func (s items) Less(i, j int) bool {
	return s[i].Value < s[j].Value || s[i].Value == s[j].Value && s[i].Number < s[j].Number
}
func (s items) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *items) Push(x any)   { *s = append(*s, x.(Item)) }
func (s *items) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
