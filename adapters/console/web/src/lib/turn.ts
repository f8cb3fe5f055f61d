/** Ends the current task, so that the page can respond before the caller goes on. */
export const turn = () => new Promise<void>((go) => setTimeout(go))
