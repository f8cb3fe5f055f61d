// What a company can share with another, in plain words: each entry stands for permissions that belong together.
export const covers = {
  land: { text: 'shareLand', slugs: ['farm.view', 'field.view', 'season.view', 'cultivation.view', 'fertilization.view'] },
  profiles: { text: 'shareProfiles', slugs: ['vi-profile.view', 'vi-map.view'] },
  assessments: { text: 'shareAssessments', slugs: ['assessment.view'] },
  soil: { text: 'shareSoil', slugs: ['aoi.view', 'stratification_map.view', 'sample_plan_map.view', 'sample.view'] },
  orders: { text: 'shareOrders', slugs: ['field.view', 'season.view', 'vi-profile.create', 'vi-map.create'] },
} as const

export type Covered = keyof typeof covers
