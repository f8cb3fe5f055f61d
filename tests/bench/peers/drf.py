"""Farms and fields of companies on Django REST framework and PostgreSQL, for the comparison of `make bench-peers`.

What the program does on a request is done as the framework's documentation does it: a token that is looked up with its
user, views that see the records of the user's company alone, serializers that check what is sent, and an entry of a trail
in the transaction of each creation. Many records at once are one list, checked whole and stored with bulk_create.

`import drf; drf.settle(10000)` makes the tables and the records and prints what a client needs as a line of JSON; gunicorn
serves `drf:application`. The database is that of PEERS_DATABASE, a URL.
"""

import json
import os
from urllib.parse import parse_qs, unquote, urlsplit

import django
from django.conf import settings

database = urlsplit(os.environ["PEERS_DATABASE"])
settings.configure(
    SECRET_KEY="of a benchmark", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "rest_framework.authtoken", "drf"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql", "NAME": database.path.lstrip("/"), "USER": unquote(database.username or ""),
        "PASSWORD": unquote(database.password or ""), "HOST": database.hostname or parse_qs(database.query).get("host", [""])[0],
        "PORT": database.port or "", "CONN_MAX_AGE": None,
    }},
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"], "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination", "PAGE_SIZE": 10,
    },
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework import routers, serializers, viewsets  # noqa: E402
from rest_framework.authtoken.models import Token  # noqa: E402


class Company(models.Model):
    name = models.CharField(max_length=255)

    class Meta:
        app_label = "drf"
        db_table = "peer_companies"


class Member(models.Model):
    user = models.OneToOneField(User, models.CASCADE, related_name="member")
    company = models.ForeignKey(Company, models.CASCADE)

    class Meta:
        app_label = "drf"
        db_table = "peer_members"


class Record(models.Model):
    company = models.ForeignKey(Company, models.CASCADE)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    name = models.CharField(max_length=255)

    class Meta:
        abstract = True


class Farm(Record):
    class Meta:
        app_label = "drf"
        db_table = "peer_farms"


class Field(Record):
    farm = models.ForeignKey(Farm, models.CASCADE)
    declared_area_ha = models.FloatField(null=True)
    soil_type = models.CharField(max_length=32, blank=True, choices=[(word, word) for word in ("sand", "loam", "clay")])
    irrigated = models.BooleanField(null=True)
    tenure = models.CharField(max_length=32, blank=True)
    notes = models.TextField(blank=True)
    external_id = models.CharField(max_length=255, blank=True)
    source = models.CharField(max_length=255, blank=True)
    boundary = models.JSONField(null=True)
    area_ha = models.FloatField(null=True)
    perimeter_m = models.FloatField(null=True)

    class Meta:
        app_label = "drf"
        db_table = "peer_fields"
        indexes = [models.Index(fields=["company", "id"], name="peer_fields_company")]


class Entry(models.Model):
    company = models.ForeignKey(Company, models.CASCADE)
    user = models.ForeignKey(User, models.SET_NULL, null=True)
    at = models.DateTimeField(auto_now_add=True)
    action = models.CharField(max_length=32)
    record = models.CharField(max_length=64)
    changes = models.JSONField()

    class Meta:
        app_label = "drf"
        db_table = "peer_entries"
        indexes = [models.Index(fields=["company", "at"], name="peer_entries_company")]


class Named(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class Maker(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField(source="username")


class OwnFarm(serializers.PrimaryKeyRelatedField):
    """A farm of the caller's company; a bulk looks each of them up once."""

    def get_queryset(self):
        return Farm.objects.filter(company=self.context["company"])

    def to_internal_value(self, data):
        known = self.context.setdefault("farms", {})
        if data not in known:
            known[data] = super().to_internal_value(data)
        return known[data]


class Many(serializers.ListSerializer):
    def create(self, validated_data):
        return Field.objects.bulk_create([Field(**row) for row in validated_data])


class FieldSerializer(serializers.ModelSerializer):
    company = Named(read_only=True)
    created_by = Maker(read_only=True)
    farm = Named(read_only=True)
    farm_id = OwnFarm(source="farm")

    class Meta:
        model = Field
        list_serializer_class = Many
        fields = [
            "id", "created_at", "updated_at", "created_by", "company", "name", "farm_id", "farm", "declared_area_ha", "soil_type", "irrigated", "tenure",
            "notes", "external_id", "source", "boundary", "area_ha", "perimeter_m",
        ]
        read_only_fields = ["boundary", "area_ha", "perimeter_m"]


class Fields(viewsets.ModelViewSet):
    serializer_class = FieldSerializer

    def initial(self, request, *args, **kwargs):
        super().initial(request, *args, **kwargs)
        self.company = Member.objects.select_related("company").get(user=request.user).company

    def get_queryset(self):
        return Field.objects.filter(company=self.company).select_related("company", "created_by", "farm").order_by("id")

    def get_serializer_context(self):
        return {**super().get_serializer_context(), "company": self.company}

    def get_serializer(self, *args, **kwargs):
        if isinstance(kwargs.get("data"), list):
            kwargs["many"] = True
        return super().get_serializer(*args, **kwargs)

    @transaction.atomic
    def perform_create(self, serializer):
        saved = serializer.save(company=self.company, created_by=self.request.user)
        data = serializer.data
        rows = data if isinstance(saved, list) else [data]
        Entry.objects.bulk_create([
            Entry(company=self.company, user=self.request.user, action="create", record=f"field {row['id']}", changes=row) for row in rows
        ])


router = routers.SimpleRouter()
router.register("field", Fields, basename="field")
urlpatterns = [path("api/", include(router.urls))]
application = get_wsgi_application()


def settle(count):
    """Makes the tables and a company with fields."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for model in (Company, Member, Farm, Field, Entry):
            editor.create_model(model)
    company = Company.objects.create(name="Company")
    user = User.objects.create_user("owner")
    Member.objects.create(user=user, company=company)
    farm = Farm.objects.create(name="Farm", company=company, created_by=user)
    made = Field.objects.bulk_create(
        [Field(name=f"Field {i}", company=company, farm=farm, created_by=user) for i in range(count)], batch_size=1000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(json.dumps({"token": Token.objects.create(user=user).key, "farm": str(farm.id), "field": str(made[500].id), "company": str(company.id)}))

