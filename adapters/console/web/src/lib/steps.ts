/** A sequence of states with steps back and forth. */
export class Steps<T> {
  private all: T[]
  private at = 0

  constructor(first: T) {
    this.all = [first]
  }

  get now(): T {
    return this.all[this.at] as T
  }
  get hasBack(): boolean {
    return this.at > 0
  }
  get hasForth(): boolean {
    return this.at + 1 < this.all.length
  }

  /** Adds the next state; states that were undone are dropped. */
  push(next: T) {
    this.cut()
    this.all.push(next)
    this.at++
  }

  /** Drops the states that were undone. */
  cut() {
    this.all.length = this.at + 1
  }

  /** Goes one state back, or stays at the first. */
  back(): T {
    if (this.hasBack) this.at--
    return this.now
  }

  /** Goes one state forward, or stays at the last. */
  forth(): T {
    if (this.hasForth) this.at++
    return this.now
  }
}
