import { expect, test } from 'vitest'

import { read, write } from './router.svelte'

test.each([
  ['/', { screen: 'map' }],
  ['/farm/12/season/3/field/87', { screen: 'field', farm: 12, season: 3, field: 87 }],
  ['/season/3/fields', { screen: 'fields', season: 3 }],
  ['/farm/12/settings/wallet', { screen: 'settings', farm: 12, tab: 'wallet' }],
  ['/farm/12/season/3/add', { screen: 'add', farm: 12, season: 3 }],
  ['/farm/12/assessments', { screen: 'assessments', farm: 12 }],
  ['/farm/12/assessment/5/fertilizers', { screen: 'assessment', farm: 12, assessment: 5, tab: 'fertilizers' }],
  ['/season/3/dashboard', { screen: 'dashboard', season: 3 }],
  ['/farm/12/season/3/sampling', { screen: 'sampling', farm: 12, season: 3 }],
  ['/season/3/sampling/7', { screen: 'area', season: 3, area: 7 }],
  ['/crew/4', { screen: 'crew', plan: 4 }],
  ['/sign-in', { screen: 'sign-in' }],
])('the address %s is a place, and its place that address', (address, place) => {
  expect(read(address)).toEqual(place)
  expect(write(read(address))).toBe(address)
})

test.each(['/farm/x', '/farm/0', '/farm', '/fields/2', '/settings/wallet/more', '/elsewhere', '/sampling/x', '/sampling/7/more', '/crew', '/crew/x', '/farm/1e3.5'])('%s is nowhere', (address) => {
  expect(read(address).screen).toBe('nowhere')
})
