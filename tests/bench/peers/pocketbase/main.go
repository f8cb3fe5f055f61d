// Command pocketbase is PocketBase with farms and fields of companies, for the comparison of `make bench-peers`. It is
// a module of its own, so that its dependencies stay out of the program's list of modules.
//
// What the program does on a request is done here as PocketBase's documentation recommends: collection rules restrict a
// caller to the records of its company, a hook stores an entry of a trail in the transaction of each creation, and bulk
// requests go through its batch interface.
//
// Usage: pocketbase FOLDER FIELDS [durable]. It prints what a client needs as a line of JSON. With durable it waits for
// the disk at each commit, as the program does; by default PocketBase may lose the last commits in a power cut.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations" // of the tables of PocketBase itself
)

func main() {
	count, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = run(os.Args[1], count, len(os.Args) > 3 && os.Args[3] == "durable")
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(folder string, count int, durable bool) error {
	config := core.BaseAppConfig{DataDir: folder}
	if durable {
		config.DBConnect = connectDurable
	}
	app := core.NewBaseApp(config)
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := collections(app); err != nil {
		return err
	}
	known, err := records(app, count)
	if err != nil {
		return err
	}
	audited(app)
	router, err := apis.NewRouter(app)
	if err != nil {
		return err
	}
	handler, err := router.BuildMux()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	known["url"] = "http://" + listener.Addr().String()
	if err := json.NewEncoder(os.Stdout).Encode(known); err != nil {
		return err
	}
	fmt.Println("ready at " + known["url"])
	return (&http.Server{Handler: handler}).Serve(listener)
}

// connectDurable opens a database as core.DefaultDBConnect does, except that commits wait for the disk.
func connectDurable(path string) (*dbx.DB, error) {
	return dbx.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)"+
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)")
}

// collections makes the tables.
func collections(app core.App) error {
	companies := core.NewBaseCollection("companies")
	companies.Fields.Add(&core.TextField{Name: "name", Required: true, Max: 255})
	if err := app.Save(companies); err != nil {
		return err
	}
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	users.Fields.Add(&core.RelationField{Name: "company", CollectionId: companies.Id, MaxSelect: 1})
	if err := app.Save(users); err != nil {
		return err
	}
	own := "company = @request.auth.company"
	companies.ViewRule = ptr("id = @request.auth.company")
	users.ViewRule = ptr(own)
	if err := app.Save(companies); err != nil {
		return err
	}
	if err := app.Save(users); err != nil {
		return err
	}
	common := func(c *core.Collection) {
		c.ListRule, c.ViewRule, c.CreateRule = ptr(own), ptr(own), ptr("@request.auth.company != '' && @request.body.company = @request.auth.company")
		c.Fields.Add(
			&core.TextField{Name: "name", Required: true, Max: 255},
			&core.RelationField{Name: "company", CollectionId: companies.Id, Required: true, MaxSelect: 1},
			&core.RelationField{Name: "created_by", CollectionId: users.Id, MaxSelect: 1},
			&core.AutodateField{Name: "created_at", OnCreate: true},
			&core.AutodateField{Name: "updated_at", OnCreate: true, OnUpdate: true},
		)
	}
	farms := core.NewBaseCollection("farms")
	common(farms)
	if err := app.Save(farms); err != nil {
		return err
	}
	fields := core.NewBaseCollection("fields")
	common(fields)
	fields.Fields.Add(
		&core.RelationField{Name: "farm", CollectionId: farms.Id, Required: true, MaxSelect: 1},
		&core.NumberField{Name: "declared_area_ha"},
		&core.SelectField{Name: "soil_type", Values: []string{"sand", "loam", "clay"}, MaxSelect: 1},
		&core.BoolField{Name: "irrigated"},
		&core.TextField{Name: "tenure"}, &core.TextField{Name: "notes"}, &core.TextField{Name: "external_id"}, &core.TextField{Name: "source"},
		&core.JSONField{Name: "boundary"}, &core.NumberField{Name: "area_ha"}, &core.NumberField{Name: "perimeter_m"},
	)
	fields.CreateRule = ptr(*fields.CreateRule + " && farm.company = @request.auth.company")
	fields.AddIndex("idx_fields_company", false, "company, id", "")
	fields.AddIndex("idx_fields_farm", false, "farm", "")
	if err := app.Save(fields); err != nil {
		return err
	}
	trail := core.NewBaseCollection("trail")
	trail.Fields.Add(
		&core.RelationField{Name: "company", CollectionId: companies.Id, MaxSelect: 1}, &core.RelationField{Name: "user", CollectionId: users.Id, MaxSelect: 1},
		&core.TextField{Name: "action"}, &core.TextField{Name: "record"}, &core.JSONField{Name: "changes"},
		&core.AutodateField{Name: "at", OnCreate: true},
	)
	trail.AddIndex("idx_trail_company", false, "company, at", "")
	if err := app.Save(trail); err != nil {
		return err
	}
	settings := app.Settings()
	settings.Batch.Enabled, settings.Batch.MaxRequests = true, 1000
	settings.Logs.MaxDays = 0 // no log of requests: the program logs none of these either
	return app.Save(settings)
}

func ptr(s string) *string { return &s }

// audited stores an entry of the trail in the transaction of each creation of a field.
func audited(app core.App) {
	app.OnRecordCreateRequest("fields").BindFunc(func(e *core.RecordRequestEvent) error {
		outer := e.App
		defer func() { e.App = outer }()
		return e.App.RunInTransaction(func(tx core.App) error {
			e.App = tx
			e.Record.Set("created_by", e.Auth.Id)
			if err := e.Next(); err != nil {
				return err
			}
			trail, err := tx.FindCachedCollectionByNameOrId("trail")
			if err != nil {
				return err
			}
			entry := core.NewRecord(trail)
			entry.Set("company", e.Record.GetString("company"))
			entry.Set("user", e.Auth.Id)
			entry.Set("action", "create")
			entry.Set("record", "field "+e.Record.Id)
			entry.Set("changes", e.Record.FieldsData())
			return tx.Save(entry)
		})
	})
}

// records makes a company with its fields and returns what a client needs to know.
func records(app core.App, count int) (map[string]string, error) {
	known := map[string]string{}
	make := func(tx core.App, collection string, values map[string]any) (*core.Record, error) {
		c, err := tx.FindCachedCollectionByNameOrId(collection)
		if err != nil {
			return nil, err
		}
		r := core.NewRecord(c)
		r.Load(values)
		return r, tx.Save(r)
	}
	err := app.RunInTransaction(func(tx core.App) error {
		company, err := make(tx, "companies", map[string]any{"name": "Company"})
		if err != nil {
			return err
		}
		user, err := make(tx, "users", map[string]any{"email": "owner@example.org", "password": "a-long-password", "company": company.Id, "name": "Owner"})
		if err != nil {
			return err
		}
		farm, err := make(tx, "farms", map[string]any{"name": "Farm", "company": company.Id, "created_by": user.Id})
		if err != nil {
			return err
		}
		for i := range count {
			field, err := make(tx, "fields", map[string]any{"name": fmt.Sprint("Field ", i), "company": company.Id, "farm": farm.Id, "created_by": user.Id})
			if err != nil {
				return err
			}
			if i == 500 {
				known["field"] = field.Id
			}
		}
		known["company"], known["farm"] = company.Id, farm.Id
		known["token"], err = user.NewAuthToken()
		return err
	})
	return known, err
}
