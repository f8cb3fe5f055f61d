import { expect, test } from 'vitest'
import { Steps } from './steps'

test('states are gone back and forth through, and what was taken back is gone with the next', () => {
  const steps = new Steps('a')
  expect([steps.hasBack, steps.hasForth, steps.back(), steps.forth()]).toEqual([false, false, 'a', 'a'])
  steps.push('b')
  steps.push('c')
  expect([steps.back(), steps.back(), steps.hasBack, steps.forth(), steps.hasForth]).toEqual(['b', 'a', false, 'b', true])
  steps.push('d')
  expect([steps.now, steps.hasForth, steps.back(), steps.forth()]).toEqual(['d', false, 'b', 'd'])
  steps.back()
  steps.cut()
  expect([steps.hasForth, steps.now]).toEqual([false, 'b'])
})
