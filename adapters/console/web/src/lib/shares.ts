// What a company can give another to see, in the words of people: each stands for the permissions that go together.
export const covers = {
  land: { text: 'shareLand', slugs: ['farm.view', 'field.view', 'season.view', 'cultivation.view', 'fertilization.view'] },
  profiles: { text: 'shareProfiles', slugs: ['vi-profile.view', 'vi-map.view'] },
  assessments: { text: 'shareAssessments', slugs: ['assessment.view'] },
  soil: { text: 'shareSoil', slugs: ['aoi.view', 'stratification_map.view', 'sample_plan_map.view', 'sample.view'] },
  orders: { text: 'shareOrders', slugs: ['field.view', 'season.view', 'vi-profile.create', 'vi-map.create'] },
} as const

export type Covered = keyof typeof covers
