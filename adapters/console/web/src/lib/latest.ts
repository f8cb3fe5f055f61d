/** Reads of one thing, of which the last that was begun counts: an answer that comes late never stands where a later one was asked for. */
export class Latest {
  private begun = 0

  /** Reads, and hands on what was read or why it was not, unless another read has begun since. */
  async read<T>(what: () => Promise<T>, got: (read: T) => void, failed: (error: unknown) => void): Promise<void> {
    const mine = ++this.begun
    try {
      const read = await what()
      if (mine === this.begun) got(read)
    } catch (error) {
      if (mine === this.begun) failed(error)
    }
  }
}
