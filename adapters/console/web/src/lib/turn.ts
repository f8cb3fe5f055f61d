/** Ends the task, so that the page answers before it goes on. */
export const turn = () => new Promise<void>((go) => setTimeout(go))
